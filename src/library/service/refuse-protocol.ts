import type { ProtocolName } from '../../base/contract/protocol-names.ts';
import { usualProtocol } from '../../base/contract/usual-protocol.ts';
import { RowcastError } from '../../base/errors.ts';

/**
 * Refuses a protocol for what only the prediction report API has.
 *
 * @param what the subject of the message, such as the name of a command
 * @throws RowcastError `usage`
 */
export function onlyReports(protocol: ProtocolName, what: string): void {
  if (protocol === usualProtocol) return;
  throw new RowcastError(
    'usage',
    `${what} works only with the protocol ${usualProtocol}, not with ${protocol}`,
    {
      hint: `Services of the protocol ${protocol} have nothing like it. score, plan and predict work with every protocol.`,
    },
  );
}

/** What a protocol other than the usual one needs. */
export const noService = (protocol: ProtocolName): RowcastError =>
  new RowcastError('usage', `the protocol ${protocol} needs a server; give its --url`, {
    hint: 'Without a URL, the reports of this machine predict.',
  });
