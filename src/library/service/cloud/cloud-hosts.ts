import type { CloudAuth } from '../../../base/contract/protocol-names.ts';
import { RowcastError } from '../../../base/errors.ts';
import { isLoopback } from '../../../base/scheme.ts';

/** What a cloud's key is for. */
export interface CloudService {
  auth: CloudAuth;
  /** For Azure, whom the token is for; for AWS, the name of the service in a signature. */
  audience: string;
  /** The region of AWS, if the host names it. */
  region?: string | undefined;
  /** The whole path of requests that may have it; any, if the user named the host. */
  path?: RegExp;
}

/** Where a cloud predicts: the whole host, and the whole path of requests. */
interface CloudEndpoint {
  host: RegExp;
  path: RegExp;
  audience: string;
}

/** An id in a path, which cannot lead to another one. */
const ID = '[A-Za-z0-9][\\w.-]*';

const pathOf = (text: string): RegExp => new RegExp(`^${text.replaceAll('ID', ID)}$`);

/**
 * Where the protocols ask the clouds for predictions. A token is good for everything that its owner may do in the
 * cloud, and whoever can choose the path of a request can do it, so nothing else is sent with one.
 */
const ownEndpoints: Readonly<Record<CloudAuth, readonly CloudEndpoint[]>> = {
  // cloud.google.com/vertex-ai/docs/predictions/using-private-endpoints has the host of a dedicated endpoint.
  google: [
    {
      host: /^(?:(?:[a-z0-9-]+-)?aiplatform\.googleapis\.com|(?:[a-z0-9-]+\.){2}prediction\.vertexai\.goog)$/,
      path: pathOf('/v1/projects/ID/locations/ID/endpoints/ID:predict'),
      audience: '',
    },
  ],
  azure: [
    // learn.microsoft.com/azure/machine-learning/how-to-authenticate-online-endpoint
    {
      host: /^(?:[a-z0-9-]+\.){2}inference\.ml\.azure\.com$/,
      path: /^\/(?:score)?$/,
      audience: 'https://ml.azure.com',
    },
    // The application ID of Azure Databricks (learn.microsoft.com/azure/databricks/dev-tools/auth).
    {
      host: /^[a-z0-9.-]+\.azuredatabricks\.net$/,
      path: pathOf('/serving-endpoints/ID/(?:invocations|ping)'),
      audience: '2ff814a6-3304-4ab8-85cb-cd0e6f879c1d',
    },
  ],
  // docs.aws.amazon.com/general/latest/gr/sagemaker.html, and endpoints of a private network
  sigv4: [
    {
      host: awsHost('(?:vpce-[a-z0-9-]+\\.)?runtime(?:-fips)?\\.sagemaker(?:-fips)?'),
      path: pathOf('/endpoints/ID/invocations'),
      audience: 'sagemaker',
    },
  ],
};

/**
 * Other services of AWS that may be ways to a model, for hosts that the user names
 * (docs.aws.amazon.com/general/latest/gr).
 */
const otherHosts: readonly Omit<CloudEndpoint, 'path'>[] = [
  { host: awsHost('[a-z0-9.-]+\\.execute-api'), audience: 'execute-api' },
  { host: /^[a-z0-9]+\.lambda-url\.(?<region>[a-z0-9-]+)\.on\.aws$/, audience: 'lambda' },
];

/** Where a token for another host is for, as far as it can be known. */
const elsewhere: Readonly<Record<CloudAuth, string>> = {
  google: '',
  azure: 'https://ml.azure.com',
  sigv4: 'execute-api',
};

const names: Readonly<Record<CloudAuth, string>> = { google: 'Google', azure: 'Azure', sigv4: 'AWS' };

function awsHost(service: string): RegExp {
  return new RegExp(
    `^${service}\\.(?<region>[a-z0-9-]+)\\.(?:vpce\\.)?(?:amazonaws\\.com(?:\\.cn)?|api\\.aws)$`,
  );
}

/**
 * What a key for this URL is for. A token can be used by whoever has it, so it is sent only to the endpoints of its
 * cloud that predict, and to the host that the user names, and never in the clear.
 *
 * @param allowed another host that may get it
 * @param protocol of the service: another host may be a way to SageMaker
 * @throws RowcastError `bad_option`, `insecure_url`
 */
export function cloudService(
  auth: CloudAuth,
  url: URL,
  { allowed, protocol }: { allowed: string | undefined; protocol: string },
): CloudService {
  const { hostname } = url;
  const isAllowed = hostname === allowed?.toLowerCase();
  if (url.protocol === 'http:' && !isLoopback(hostname))
    throw new RowcastError(
      'insecure_url',
      `--auth ${auth}: what identifies you to ${names[auth]} would be sent unencrypted to ${hostname}`,
      { hint: 'Use https.' },
    );
  const endpoints: readonly Partial<CloudEndpoint>[] = isAllowed
    ? [...ownEndpoints[auth], ...(auth === 'sigv4' ? otherHosts : [])]
    : ownEndpoints[auth];
  for (const { host, path, audience = '' } of endpoints) {
    const found = host?.exec(hostname);
    if (!found) continue;
    const region = found.groups?.region;
    return { auth, audience, region, ...(!isAllowed && path !== undefined && { path }) };
  }
  if (isAllowed)
    return {
      auth,
      audience: auth === 'sigv4' && protocol.startsWith('sagemaker') ? 'sagemaker' : elsewhere[auth],
    };
  throw notSent(auth, hostname, `${hostname}, which is not a host of ${names[auth]}'s predictions`);
}

/**
 * Checks that a request asks for predictions.
 *
 * @throws RowcastError `bad_option`
 */
export function checkCloudPath({ auth, path: allowed }: CloudService, { hostname }: URL, path: string): void {
  if (allowed === undefined || allowed.test(path)) return;
  throw notSent(auth, hostname, `${hostname}${path}, which is not where its predictions are`);
}

const notSent = (auth: CloudAuth, hostname: string, where: string): RowcastError =>
  new RowcastError(
    'bad_option',
    `--auth ${auth}: what identifies you to ${names[auth]} is not sent to ${where}`,
    { hint: `If it may get it, name it: --auth-host ${hostname}.` },
  );
