/** The protocols of prediction services: what `--protocol` takes, and what a summary names. */
export const protocolNames = [
  'report',
  'mlflow',
  'azureml',
  'kserve-v1',
  'open-inference',
  'datarobot',
  'custom',
] as const;

export type ProtocolName = (typeof protocolNames)[number];
