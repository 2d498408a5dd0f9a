import type { Auth } from '../../base/contract/auth-names.ts';
import type { ProtocolName } from '../../base/contract/protocol-names.ts';
import { descriptions } from './described/descriptions.ts';

/** How services of a protocol usually want their key. */
export function defaultAuth(name: ProtocolName): Auth {
  switch (name) {
    case 'report':
      return 'apikey';
    case 'open-inference':
    case 'custom':
      return 'none';
    default:
      return descriptions[name].auth;
  }
}
