import { jsonValue } from '../../base/json-value.ts';
import { COMMAS } from '../../base/parse-records.ts';
import { writeRow } from '../../base/write-row.ts';
import type { AppendedAt, Comparison, RecordAt } from '../comparison.ts';
import { StringScanner } from '../json/scan-string.ts';
import { membersOfLine } from './members.ts';
import { closingBrace, isEmptyUntil, type LineColumns, ownObject } from './merge-lines.ts';

const [QUOTE, COMMA, CLOSE] = [0x22, 0x2c, 0x7d];

export interface LineComparison {
  /** The full names of the input's columns. */
  names: readonly string[];
  /** The names of the input's members in the output. */
  ownNames: readonly string[];
  columns: LineColumns | undefined;
  /** The names of the members that were appended; 0 if that is not known, because the output has no objects. */
  appended: readonly string[] | 0;
}

/** Compares objects with those that have members appended before their closing brace. */
export function lineComparison({ names, ownNames, columns, appended }: LineComparison): Comparison {
  const openings = (appended === 0 ? [] : appended).map(name => Buffer.from(`,${JSON.stringify(name)}:`));
  const before = ownNames.length > 0 ? ',' : '';
  /** Appended members as fields; other text as it is, without types, which a check refuses. */
  const fieldsOf = (members: Buffer): AppendedAt => {
    const values = valuesOf(members, openings);
    const text =
      values === undefined
        ? members.toString('latin1')
        : before + writeRow(values.map(({ text }) => text)).slice(0, -1);
    const bytes = Buffer.from(text);
    const areTexts = values?.map(({ isText }) => isText) ?? [];
    return { bytes, start: 0, contentEnd: bytes.length, areTexts };
  };
  return {
    preserves: 'bytes',
    lineEnds: 'alike',
    ownNames,
    appended:
      appended !== 0 && appended.length === 0
        ? { wrong: 'the objects have no members besides those of the input' }
        : appended,
    endsAlike: true,
    dialect: COMMAS,
    own(record) {
      if (columns === undefined) return record;
      const bytes = ownObject(record.bytes.subarray(record.start, record.contentEnd), columns);
      return { bytes, start: 0, contentEnd: bytes.length };
    },
    appendedOf(own, record) {
      const content = contentOf(record);
      const [head, tail] = aroundMembers(own);
      const end = content.length - tail.length;
      const isAround =
        end >= head.length &&
        content.subarray(0, head.length).equals(head) &&
        content.subarray(end).equals(tail);
      if (!isAround) return undefined;
      const members = content.subarray(head.length, end);
      const isFirst = isEmptyUntil(own.bytes, own.start + head.length);
      return fieldsOf(isFirst ? Buffer.concat([Buffer.from(','), members]) : members);
    },
    afterOwn(record) {
      const content = contentOf(record);
      const at = openings[0] === undefined ? -1 : content.lastIndexOf(openings[0]);
      return at === -1 ? undefined : fieldsOf(content.subarray(at, content.lastIndexOf(CLOSE)));
    },
    hasOwn(own, record) {
      const [head] = aroundMembers(own);
      const content = contentOf(record);
      const next = content[head.length] ?? 0;
      return (
        content.subarray(0, head.length).equals(head) &&
        (next === CLOSE || next === COMMA || (next === QUOTE && isEmptyUntil(head, head.length)))
      );
    },
    changedColumn(own, record) {
      const [before, after] = [own, record].map(textsOf);
      const changed = [...(before ?? [])].find(([name, text]) => after?.get(name) !== text)?.[0];
      return Math.max(
        0,
        (columns === undefined ? names : ownNames).findIndex(
          name => name === changed || name.startsWith(`${changed}.`),
        ),
      );
    },
  };
}

const contentOf = ({ bytes, start, contentEnd }: RecordAt): Buffer => bytes.subarray(start, contentEnd);

/** What is before and after the members that are appended to an object. */
function aroundMembers({ bytes, start, contentEnd }: RecordAt): [Buffer, Buffer] {
  const brace = closingBrace(bytes, start, contentEnd);
  return [bytes.subarray(start, brace), bytes.subarray(brace, contentEnd)];
}

/**
 * The values of members with these openings, null as an empty text; undefined if they have others, or a text that is
 * not written as a run writes it.
 */
function valuesOf(
  members: Buffer,
  openings: readonly Buffer[],
): { text: string; isText: boolean }[] | undefined {
  const strings = new StringScanner();
  const values: { text: string; isText: boolean }[] = [];
  let at = 0;
  for (const opening of openings) {
    if (!members.subarray(at, at + opening.length).equals(opening)) return undefined;
    at += opening.length;
    if (members[at] === QUOTE) {
      if (strings.scan(members, at) === undefined) return undefined;
      const text = textOf(members.subarray(at, strings.end));
      if (text === undefined) return undefined;
      at = strings.end;
      values.push({ text, isText: true });
    } else {
      const comma = members.indexOf(COMMA, at);
      const end = comma === -1 ? members.length : comma;
      const text = members.toString('latin1', at, end);
      if (text === '') return undefined;
      at = end;
      values.push({ text: text === 'null' ? '' : text, isText: false });
    }
  }
  return at === members.length ? values : undefined;
}

function textOf(json: Buffer): string | undefined {
  const text = jsonValue(json.toString());
  return typeof text === 'string' && Buffer.from(JSON.stringify(text)).equals(json) ? text : undefined;
}

/** The top-level members of an object as text; none if it is not well-formed. */
const textsOf = (record: RecordAt): Map<string, string> =>
  new Map(
    membersOfLine(record).map(({ name, value, end }) => [name, record.bytes.toString('latin1', value, end)]),
  );
