import { membersOf } from './members.ts';
import { MAX_DEPTH, withOuterNames } from './object-reader.ts';

/** The names in an object, in the order of its bytes. */
export interface ObjectNames {
  /** The names of its members. */
  readonly members: readonly string[];
  /** The full names of the values that are not objects with members of their own, such as `a.b`. */
  readonly values: readonly string[];
  /** Those of them that are null, or an empty object. */
  readonly missing: readonly string[];
  /** The full names of objects that have members. */
  readonly outer: readonly string[];
}

const [OPEN, QUOTE, SMALL_N] = [0x7b, 0x22, 0x6e];

/** @returns undefined if objects are nested too deep, or if a name is there twice: such a line is malformed */
export function namesIn(line: Buffer): ObjectNames | undefined {
  const members: string[] = [];
  const values = new Set<string>();
  const missing: string[] = [];
  const outer = new Set<string>();
  /** @returns whether all names differ */
  const add = (start: number, end: number, path: string, depth: number): boolean => {
    if (depth > MAX_DEPTH) return false;
    for (const member of membersOf(line, start, end)) {
      if (depth === 1) members.push(member.name);
      const name = path + member.name;
      if (values.has(name) || outer.has(name)) return false;
      if (hasMembers(line, member.value, member.end)) {
        outer.add(name);
        if (!add(member.value, member.end, `${name}.`, depth + 1)) return false;
        continue;
      }
      values.add(name);
      if (line[member.value] === OPEN || line[member.value] === SMALL_N) missing.push(name);
    }
    return true;
  };
  return add(0, line.length, '', 1)
    ? { members, values: [...values], missing, outer: [...outer] }
    : undefined;
}

/** Tells which columns objects with these names have: null is a value, and of `a.b` a null for `a`, too. */
export function hasColumn({
  values,
  outer,
}: Pick<ObjectNames, 'values' | 'outer'>): (name: string) => boolean {
  const [ends, inner] = [new Set(values), new Set(outer)];
  return name => inner.has(name) || withOuterNames(name).some(part => ends.has(part));
}

/** Whether the value `bytes[start, end)` is an object that is not empty. */
function hasMembers(bytes: Buffer, start: number, end: number): boolean {
  if (bytes[start] !== OPEN) return false;
  const name = bytes.indexOf(QUOTE, start);
  return name !== -1 && name < end;
}
