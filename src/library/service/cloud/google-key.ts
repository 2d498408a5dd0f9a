import { GoogleAuth } from '../../../storage/stores/google/sdk.ts';
import { TokenKey } from './token-key.ts';

/** The right to use what the account may use (developers.google.com/identity/protocols/oauth2/scopes). */
const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';

/** Google's application default credentials. */
export const googleKey = (): TokenKey =>
  new TokenKey(() => {
    const auth = new GoogleAuth({ scopes: [SCOPE] });
    return async () => {
      const token = await auth.getAccessToken();
      if (typeof token !== 'string') throw new Error('Google gave no token');
      return token;
    };
  });
