import { notAnObject, type ObjectName, parseObjectPrefix } from '../../objects/object-name.ts';

/** A storage account as a URL names it. */
export interface AzureAccount {
  name: string;
  /** The domain of its cloud: `core.windows.net`. */
  cloud: string;
}

export interface AzureName extends ObjectName {
  /** Undefined: the default one. */
  account: AzureAccount | undefined;
}

/** The domains of Azure's clouds. A signature with the key of an account does not say for which host it is. */
export const CLOUDS: readonly string[] = [
  'core.windows.net',
  'core.usgovcloudapi.net',
  'core.chinacloudapi.cn',
];

/**
 * Takes the beginning of a name apart: `az://container/key`, or `abfss://container@account.dfs.core.windows.net/key`.
 *
 * @throws RowcastError `usage`
 */
export function parseAzurePrefix(prefix: string): AzureName {
  if (!/^abfss:/i.test(prefix)) return { ...parseObjectPrefix(prefix), account: undefined };
  const [, start = '', bucket = '', name = '', cloud = '', key = ''] =
    /^(abfss:\/\/([\w$-]+)@([a-z0-9]+)\.(?:dfs|blob)\.([\w.-]+)\/)(.*)$/is.exec(prefix) ?? [];
  if (cloud !== '' && !CLOUDS.includes(cloud.toLowerCase()))
    throw notAnObject(
      start,
      `The host must end with ${CLOUDS.join(', ')}: others get no credentials of Azure.`,
    );
  if (start !== '') return { start, bucket, key, account: { name, cloud } };
  throw notAnObject(prefix, 'Give abfss://CONTAINER@ACCOUNT.dfs.core.windows.net/KEY.');
}

/** The same for a whole name. @throws RowcastError `usage` */
export function parseAzureName(name: string): AzureName {
  const found = parseAzurePrefix(name);
  if (found.key !== '') return found;
  throw notAnObject(name, 'Give a container and a key, such as az://container/folder/file.csv.');
}
