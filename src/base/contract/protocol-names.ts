/** The protocols of prediction services: what `--protocol` takes, and what a summary names. */
export const protocolNames = [
  'report',
  'mlflow',
  'azureml',
  'kserve-v1',
  'open-inference',
  'datarobot',
  'sagemaker',
  'sagemaker-jsonlines',
  'custom',
] as const;

export type ProtocolName = (typeof protocolNames)[number];

/**
 * How a request proves who asks: with a key, with none, or with what the tools of a cloud find on this machine, which
 * is a token of Google or Azure, or a signature of AWS.
 */
export const authNames = ['apikey', 'bearer', 'none', 'google', 'azure', 'sigv4'] as const;

export type Auth = (typeof authNames)[number];

/** Those of a cloud. */
export type CloudAuth = Extract<Auth, 'google' | 'azure' | 'sigv4'>;

export const isOfCloud = (auth: Auth): auth is CloudAuth => cloudAuths.some(own => own === auth);

const cloudAuths: readonly CloudAuth[] = ['google', 'azure', 'sigv4'];

/** The protocol of the prediction report API, in which local reports are described too. */
export const defaultProtocol = 'report' satisfies ProtocolName;

/** How a protocol is part of what identifies work: the default one is left out. */
export const namedProtocol = (protocol: string = defaultProtocol): { protocol?: string } =>
  protocol === defaultProtocol ? {} : { protocol };
