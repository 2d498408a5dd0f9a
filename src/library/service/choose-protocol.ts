import { RowcastError } from '../../base/errors.ts';
import { counted } from '../../base/number-text.ts';
import { describeIssue } from '../../base/options/values/expectation.ts';
import type { JobValues } from '../../base/options/values/run-values.ts';
import { type CustomProtocol, customShape } from '../../client/protocols/described/custom-shape.ts';
import type { Protocol } from '../../client/protocols/protocol.ts';
import { protocolOf } from '../../client/protocols/protocols.ts';
import { contractWire, type Wire } from '../../client/protocols/report/wire-names.ts';

/** The options that decide how a service is asked. */
export type ProtocolValues = Pick<JobValues, 'protocol' | 'wire' | 'custom'> &
  Partial<Pick<JobValues, 'batchBytes'>>;

/**
 * The protocol that options choose.
 *
 * @throws RowcastError `usage` for options of another protocol, `bad_option`
 */
export function chooseProtocol({ protocol: name, wire, custom, batchBytes }: ProtocolValues): Protocol {
  if (wire !== undefined && name !== 'report') throw noEffect('wire', 'report', name);
  if (custom !== undefined && name !== 'custom') throw noEffect('custom', 'custom', name);
  const protocol = protocolOf(name, {
    wire: { ...contractWire, ...(wire as Partial<Wire> | undefined) }, // a definition's, which its schema checked
    custom: name === 'custom' ? readCustom(custom) : undefined,
  });
  const { maxBatchBytes: most } = protocol;
  if (most !== undefined && batchBytes !== undefined && batchBytes > most)
    throw new RowcastError(
      'bad_option',
      `--batch-bytes: at most ${counted(most)} bytes with the protocol ${name}, got ${counted(batchBytes)}`,
    );
  return protocol;
}

/** A definition's description was checked before; a program's was not. */
function readCustom(given: JobValues['custom']): CustomProtocol {
  if (given === undefined)
    throw new RowcastError('usage', 'the protocol custom needs a description', {
      hint:
        'Describe it in a definition, under service: { protocol: custom, custom: … }. Run that with rowcast run; predict and ' +
        'verify take it with --definition.',
    });
  const checked = customShape.safeParse(given, { reportInput: true });
  if (checked.success) return checked.data;
  const [issue] = checked.error.issues;
  const where = ['custom', ...(issue?.path ?? [])].join('.');
  throw new RowcastError(
    'bad_option',
    `${where}: ${issue === undefined ? 'not valid' : describeIssue(issue, undefined)}`,
  );
}

const noEffect = (option: string, needed: string, name: string): RowcastError =>
  new RowcastError('usage', `${option} has no effect with the protocol ${name}`, {
    hint: `It belongs to the protocol ${needed}: leave it out, or choose that one.`,
  });
