import type { CloudAuth } from '../../../base/contract/auth-names.ts';
import { RowcastError } from '../../../base/errors.ts';

/** What a cloud's key is for. */
export interface CloudService {
  auth: CloudAuth;
  /** For Azure, whom the token is for; for AWS, the name of the service in a signature. */
  audience: string;
  /** The region of AWS, if the host names it. */
  region?: string | undefined;
}

/** The clouds' own hosts, and what their tokens and signatures are for. Each pattern begins at a dot of the host. */
const ownHosts: Readonly<Record<CloudAuth, readonly { host: RegExp; audience: string }[]>> = {
  // cloud.google.com/vertex-ai/docs/predictions/using-private-endpoints has the host of a dedicated endpoint.
  google: [{ host: /\.(googleapis\.com|prediction\.vertexai\.goog)$/, audience: '' }],
  azure: [
    // learn.microsoft.com/azure/machine-learning/how-to-authenticate-online-endpoint
    { host: /\.inference\.ml\.azure\.com$/, audience: 'https://ml.azure.com' },
    // The application ID of Azure Databricks (learn.microsoft.com/azure/databricks/dev-tools/auth).
    { host: /\.azuredatabricks\.net$/, audience: '2ff814a6-3304-4ab8-85cb-cd0e6f879c1d' },
  ],
  // docs.aws.amazon.com/general/latest/gr/{sagemaker,apigateway,lambda-service}.html, and endpoints of a private network
  sigv4: [
    { host: awsHost('(?:runtime(?:-fips)?\\.)?sagemaker'), audience: 'sagemaker' },
    { host: awsHost('execute-api'), audience: 'execute-api' },
    { host: /\.lambda-url\.(?<region>[a-z0-9-]+)\.on\.aws$/, audience: 'lambda' },
  ],
};

/** Where a token for another host is for, as far as it can be known. */
const elsewhere: Readonly<Record<CloudAuth, string>> = {
  google: '',
  azure: 'https://ml.azure.com',
  sigv4: 'execute-api',
};

const names: Readonly<Record<CloudAuth, string>> = { google: 'Google', azure: 'Azure', sigv4: 'AWS' };

function awsHost(service: string): RegExp {
  return new RegExp(
    `\\.${service}\\.(?<region>[a-z0-9-]+)\\.(?:vpce\\.)?(?:amazonaws\\.com(?:\\.cn)?|api\\.aws)$`,
  );
}

/**
 * What a key for this URL is for. A token can be used by whoever has it, so it is sent only to hosts of its cloud, and to the
 * one that the user names.
 *
 * @param allowed another host that may get it
 * @param protocol of the service: another host may be a way to SageMaker
 * @throws RowcastError `bad_option`
 */
export function cloudService(
  auth: CloudAuth,
  { hostname }: URL,
  { allowed, protocol }: { allowed: string | undefined; protocol: string },
): CloudService {
  for (const { host, audience } of ownHosts[auth]) {
    const found = host.exec(`.${hostname}`);
    if (found !== null) return { auth, audience, region: found.groups?.region };
  }
  if (hostname === allowed?.toLowerCase())
    return {
      auth,
      audience: auth === 'sigv4' && protocol.startsWith('sagemaker') ? 'sagemaker' : elsewhere[auth],
    };
  throw new RowcastError(
    'bad_option',
    `--auth ${auth}: what identifies you to ${names[auth]} is not sent to ${hostname}, which is not a host of ${names[auth]}'s predictions`,
    { hint: `If it may get it, name it: --auth-host ${hostname}.` },
  );
}
