import { DefaultAzureCredential } from '../../../storage/stores/azure/identity.ts';
import { TokenKey } from './token-key.ts';

/** The environment's, the workload's or the managed identity's token for this audience. */
export const azureKey = (audience: string): TokenKey =>
  new TokenKey(() => {
    const credential = new DefaultAzureCredential();
    return async () => (await credential.getToken(`${audience}/.default`)).token;
  });
