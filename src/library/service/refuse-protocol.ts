import { defaultProtocol, type ProtocolName } from '../../base/contract/protocol-names.ts';
import { RowcastError } from '../../base/errors.ts';

/**
 * Refuses a protocol for what only the prediction report API has.
 *
 * @param what the subject of the message, such as the name of a command
 * @throws RowcastError `usage`
 */
export function onlyReports(protocol: ProtocolName, what: string): void {
  if (protocol === defaultProtocol) return;
  throw new RowcastError(
    'usage',
    `${what} works only with the protocol ${defaultProtocol}, not with ${protocol}`,
    {
      hint: `Services of the protocol ${protocol} have nothing like it. score, plan and predict work with every protocol.`,
    },
  );
}

/** What a protocol other than the default one needs. */
export const noService = (protocol: ProtocolName): RowcastError =>
  new RowcastError('usage', `the protocol ${protocol} needs a server; give its --url`, {
    hint: 'Without a URL, the reports of this machine predict.',
  });
