import type { Dialect } from '../../../../src/base/parse-records.ts';
import type { Comparison, RecordAt } from '../../../../src/formats/comparison.ts';

const dialect: Dialect = { delimiter: ',', quote: '"', loneCr: false };
const BRACE = 0x7d;

/**
 * Compares records with those that have members added before their closing brace.
 *
 * @param names of the input's members
 * @param added names of the members that were added
 */
export function jsonLinesComparison(names: readonly string[], added: readonly string[]): Comparison {
  const literals = added.map(name => Buffer.from(`,${JSON.stringify(name)}:`));
  const [first] = literals;
  /** The values of the added members, each after a comma; other text as it is, which a check refuses. */
  const valuesOf = (members: Buffer): RecordAt => {
    let text = '';
    for (let index = 0, at = 0; index < literals.length; index++) {
      const [literal = Buffer.alloc(0), following] = literals.slice(index, index + 2);
      if (!members.subarray(at, at + literal.length).equals(literal)) {
        text = members.toString('latin1');
        break;
      }
      at += literal.length;
      const end = following === undefined ? members.length : members.indexOf(following, at);
      const value = members.toString('latin1', at, end === -1 ? members.length : end);
      text += `,${value === 'null' ? '' : value}`;
      at = end === -1 ? members.length : end;
    }
    const bytes = Buffer.from(text, 'latin1');
    return { bytes, start: 0, contentEnd: bytes.length };
  };
  return {
    preserves: 'bytes',
    ownNames: names,
    appended: added.length === 0 ? 0 : added,
    endsAlike: true,
    dialect,
    own: record => record,
    appendedOf(own, record) {
      const brace = braceOf(own);
      const [before, after] = [
        own.bytes.subarray(own.start, brace),
        own.bytes.subarray(brace, own.contentEnd),
      ];
      const content = record.bytes.subarray(record.start, record.contentEnd);
      const end = content.length - after.length;
      const hasBoth =
        content.subarray(0, before.length).equals(before) && content.subarray(end).equals(after);
      return hasBoth && end >= before.length ? valuesOf(content.subarray(before.length, end)) : undefined;
    },
    afterOwn(record) {
      const content = record.bytes.subarray(record.start, record.contentEnd);
      const at = first === undefined ? -1 : content.lastIndexOf(first);
      return at === -1 ? undefined : valuesOf(content.subarray(at, content.lastIndexOf(BRACE)));
    },
    hasOwn(own, record) {
      const before = own.bytes.subarray(own.start, braceOf(own));
      const begins = record.bytes.subarray(record.start, record.start + before.length);
      return begins.equals(before) && [BRACE, 0x2c].includes(record.bytes[record.start + before.length] ?? 0);
    },
    changedColumn(own, record) {
      const [before, after] = [own, record].map(membersOf);
      const changed = names.findIndex(name => before?.[name] !== after?.[name]);
      return Math.max(0, changed);
    },
  };
}

const braceOf = ({ bytes, start, contentEnd }: RecordAt): number =>
  start + bytes.subarray(start, contentEnd).lastIndexOf(BRACE);

function membersOf({ bytes, start, contentEnd }: RecordAt): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(bytes.toString('utf8', start, contentEnd));
  } catch {
    return {};
  }
}
