import { jsonValue } from '../../base/json-value.ts';
import { textView, type WordView } from '../bytes/word-view.ts';
import { HALF_PAIR, StringScanner } from '../json/scan-string.ts';
import { numberEnd } from '../json/write-bytes.ts';
import { isRejectsFile, REJECT_RECORD } from '../records/reject.ts';

/** Where the values of an object's columns are. */
export interface FoundValues {
  /** By column, the offsets of a value, of a text without its quotes; both are 0 for null and for an absent member. */
  readonly starts: Int32Array;
  readonly ends: Int32Array;
}

/** What is wrong with a line. */
export type LineFault =
  | 'bad_json'
  | 'half_pair'
  | 'left_as_rejected'
  | 'repeated_member'
  | 'scored_before'
  | 'too_deep'
  | 'unknown_member';

/** Objects and lists that may be nested. */
export const MAX_DEPTH = 256;
/** Characters of the names of the objects that a value is in. Each value in them is looked up by its full name. */
export const MAX_PATH = 1_024;
/** Members that are remembered, besides those of the columns: an input may have as many as it likes. */
const MAX_KNOWN = 10_000;
/** Whether a member of an object is one of an earlier output, as far as its name tells. */
export const isScoredName = (name: string): boolean => name.startsWith('probability_');

const [QUOTE, COMMA, COLON, OPEN, CLOSE, OPEN_LIST, CLOSE_LIST] = [0x22, 0x2c, 0x3a, 0x7b, 0x7d, 0x5b, 0x5d];
const [SPACE, TAB, LF, CR] = [0x20, 0x09, 0x0a, 0x0d];
const LITERALS = ['true', 'false', 'null'].map(text => Buffer.from(text));
/** What no JSON has, but many programs write for a missing or too large number: it is read as null. */
const NOT_FINITE = ['NaN', 'Infinity', '-Infinity'].map(text => Buffer.from(text));
const NULL = 'n'.charCodeAt(0);

/** A member that objects have had at their top. */
export interface KnownMember {
  /** The member's name in quotes, as it was first seen. */
  readonly key: WordView;
  readonly value: Readonly<NamedValue>;
}

/** A member of all objects at the same place. */
interface Member extends KnownMember {
  readonly value: NamedValue;
  readonly members: Members;
  /** Whether it is remembered. */
  readonly isKept: boolean;
}

/** A value by its full name: {"a.b": 1, "a": {"b": 2}} has one of them twice. */
interface NamedValue {
  readonly name: string;
  /** The index of its column; -1 if it has none. */
  readonly column: number;
  /** What is wrong with an object that has it. */
  readonly fault: LineFault | undefined;
  /** Whether nothing is written of it. */
  readonly isUnknown: boolean;
  /** The number of the last object that had it. */
  seen: number;
}

/** The members that were seen at one place, in order, and by their names in quotes. */
interface Members {
  readonly list: Member[];
  readonly byKey: Map<string, Member>;
}

/**
 * Reads objects (RFC 8259), one after the other, from bytes that are UTF-8. Members in the order in which they
 * were first seen are recognized by their bytes.
 */
export class ObjectReader {
  readonly #columns: ReadonlyMap<string, number>;
  readonly #top: Members = newMembers();
  readonly #strings = new StringScanner();
  readonly #values = new Map<string, NamedValue>();
  readonly #width: number;
  readonly #allowed: ReadonlySet<string>;
  /** Whether the objects are those of a rejects file. */
  readonly #isRejects: boolean;
  /** The names of the columns, and of all that they are in, which are remembered in any case. */
  readonly #needed: ReadonlySet<string>;
  /** The names of all values that an object may have; undefined if it may have any. */
  readonly #closed: ReadonlySet<string> | undefined;
  /** The name of the first value of the last object with the fault `unknown_member` that it may not have. */
  unknownMember = '';
  #known = 0;
  #object = 0;
  #bytes: Buffer = Buffer.alloc(0);
  #view: DataView = new DataView(new ArrayBuffer(0));
  #at = 0;
  #end = 0;
  #fault: LineFault | undefined;
  /** Whether more is nested than `MAX_DEPTH`. */
  #isTooDeep = false;
  #into: FoundValues = { starts: new Int32Array(), ends: new Int32Array() };
  #first = 0;
  #keepText: (text: string) => number = () => 0;

  /**
   * @param columns the full name of each, such as `a.b` for the member `b` of `a`
   * @param allowed names that begin like those of an earlier output, but are the input's own
   * @param closed the full names of all values that an object may have; by default any
   */
  constructor(columns: readonly string[], allowed: readonly string[], closed?: readonly string[]) {
    this.#closed = closed && new Set(closed);
    this.#columns = new Map(columns.map((name, index) => [name, index]));
    this.#width = columns.length;
    this.#allowed = new Set(allowed);
    this.#isRejects = isRejectsFile(columns);
    this.#needed = new Set(columns.flatMap(withOuterNames));
  }

  /** The members of the objects so far, in the order in which they were first seen, which others are added to. */
  get members(): readonly KnownMember[] {
    return this.#top.list;
  }

  /** The full names of the values so far that no column has, of as many as are remembered. */
  get otherNames(): string[] {
    const outer = new Set([...this.#values.keys()].flatMap(outerNames));
    return [...this.#values.values()]
      .filter(({ name, fault }) => fault === undefined && !outer.has(name))
      .map(({ name }) => name)
      .filter(name => !withOuterNames(name).some(each => this.#columns.has(each)));
  }

  /**
   * Reads the object `words.bytes[start, end)`.
   *
   * @param into for the values, whose first one is at index `first`
   * @param keepText keeps a text that had escapes; returns where it begins, behind a quote
   */
  read(
    { words, start, end }: { words: WordView; start: number; end: number },
    into: FoundValues,
    first: number,
    keepText: (text: string) => number,
  ): LineFault | undefined {
    this.#bytes = words.bytes;
    this.#view = words.view;
    this.#at = start;
    this.#end = end;
    this.#fault = undefined;
    this.#isTooDeep = false;
    this.#into = into;
    this.#first = first;
    this.#keepText = keepText;
    this.#object++;
    into.starts.fill(0, first, first + this.#width);
    into.ends.fill(0, first, first + this.#width);
    this.#passSpace();
    if (!this.#readObject(this.#top, '', 1)) return this.#isTooDeep ? 'too_deep' : 'bad_json';
    this.#passSpace();
    return this.#at === end ? this.#fault : 'bad_json';
  }

  #passSpace(): void {
    const bytes = this.#bytes;
    for (; this.#at < this.#end; this.#at++) {
      const byte = bytes[this.#at];
      if (byte !== SPACE && byte !== TAB && byte !== LF && byte !== CR) return;
    }
  }

  #pass(byte: number): boolean {
    if (this.#at >= this.#end || this.#bytes[this.#at] !== byte) return false;
    this.#at++;
    return true;
  }

  /** @returns whether there is an object */
  #readObject(members: Members | undefined, path: string, depth: number): boolean {
    if (depth > MAX_DEPTH) this.#isTooDeep = true;
    if (this.#isTooDeep || path.length > MAX_PATH || !this.#pass(OPEN)) return false;
    this.#passSpace();
    if (this.#pass(CLOSE)) return true;
    let others: Set<string> | undefined;
    for (let next = 0; ; next++) {
      const expected = members?.list[next];
      let member: Member | undefined;
      if (expected !== undefined && this.#passKey(expected.key)) member = expected;
      else {
        const start = this.#at;
        const kind = this.#passString();
        if (kind === undefined) return false;
        const found = members && this.#memberAt(members, start, { path, isEscaped: kind === 'escapes' });
        if (found === null) return false;
        member = found;
        if (member?.isKept !== true) {
          const key = this.#bytes.toString('utf8', start, this.#at);
          if (kind === 'escapes' && unescaped(key) === undefined) return false;
          if (members !== undefined) {
            others ??= new Set();
            if (others.has(key)) this.#fault ??= 'repeated_member';
            others.add(key);
          }
        }
      }
      if (member !== undefined) this.#note(member);
      this.#passSpace();
      if (!this.#pass(COLON)) return false;
      this.#passSpace();
      if (!this.#readValue(member, depth)) return false;
      this.#passSpace();
      if (this.#pass(CLOSE)) return true;
      if (!this.#pass(COMMA)) return false;
      this.#passSpace();
    }
  }

  /**
   * The member whose name in quotes is `[start, #at)`, which is not remembered if there are too many.
   *
   * @returns null if the name has a wrong escape
   */
  #memberAt(
    members: Members,
    start: number,
    { path, isEscaped }: { path: string; isEscaped: boolean },
  ): Member | null {
    const key = this.#bytes.toString('utf8', start, this.#at);
    const known = members.byKey.get(key);
    if (known !== undefined) return known;
    const name = isEscaped ? unescaped(key) : key.slice(1, -1);
    if (name === undefined) return null;
    const plain = isEscaped ? members.byKey.get(JSON.stringify(name)) : undefined;
    const isKept = this.#known < MAX_KNOWN || plain !== undefined || this.#needed.has(path + name);
    const member = plain ?? {
      key: textView(key),
      value: this.#valueOf(path + name, { isTop: path === '', isKept }),
      members: newMembers(),
      isKept,
    };
    if (!isKept || (plain !== undefined && this.#known >= MAX_KNOWN)) return member;
    this.#known++;
    members.byKey.set(key, member);
    if (plain === undefined) {
      members.byKey.set(JSON.stringify(name), member);
      members.list.push(member);
    }
    return member;
  }

  /** Passes a name in quotes, if it is the next one, without looking for its end. */
  #passKey({ bytes, view }: WordView): boolean {
    const start = this.#at;
    const { length } = bytes;
    if (start + length > this.#end) return false;
    let i = 0;
    for (; i + 4 <= length; i += 4)
      if (view.getInt32(i, true) !== this.#view.getInt32(start + i, true)) return false;
    for (; i < length; i++) if (bytes[i] !== this.#bytes[start + i]) return false;
    this.#at = start + length;
    return true;
  }

  #valueOf(name: string, { isTop, isKept }: { isTop: boolean; isKept: boolean }): NamedValue {
    const known = this.#values.get(name);
    if (known !== undefined) return known;
    const column = this.#columns.get(name) ?? -1;
    const isUnknown = this.#isUnknown(name);
    const isHalf = (column !== -1 || isUnknown) && HALF_PAIR.test(name);
    const fault = isHalf ? 'half_pair' : isTop ? this.#faultOf(name) : undefined;
    const value = { name, column, fault, isUnknown, seen: 0 };
    if (isKept) this.#values.set(name, value);
    return value;
  }

  /** Whether neither a value of this name may be there, nor one that it is part of. */
  #isUnknown(name: string): boolean {
    const closed = this.#closed;
    return closed !== undefined && !withOuterNames(name).some(outer => closed.has(outer));
  }

  #rejectUnknown(name: string): void {
    if (this.#fault === undefined) this.unknownMember = name;
    this.#fault ??= 'unknown_member';
  }

  #faultOf(name: string): LineFault | undefined {
    if (name === REJECT_RECORD && this.#isRejects) return 'left_as_rejected';
    return isScoredName(name) && !this.#allowed.has(name) ? 'scored_before' : undefined;
  }

  #note({ value }: Member): void {
    if (value.seen === this.#object) this.#fault ??= 'repeated_member';
    if (value.fault !== undefined) this.#fault ??= value.fault;
    value.seen = this.#object;
  }

  #readValue(member: Member | undefined, depth: number): boolean {
    const start = this.#at;
    const byte = start < this.#end ? this.#bytes[start] : undefined;
    if (byte === QUOTE) {
      const kind = this.#passString();
      if (kind === undefined) return false;
      if (kind !== 'escapes') {
        this.#set(member, start + 1, this.#at - 1);
        return true;
      }
      const text = unescaped(this.#bytes.toString('utf8', start, this.#at));
      if (text === undefined) return false;
      if (member?.value.isUnknown === true) this.#rejectUnknown(member.value.name);
      if (member !== undefined && member.value.column !== -1) {
        if (HALF_PAIR.test(text)) this.#fault ??= 'half_pair';
        const from = this.#keepText(text);
        this.#set(member, from, from + Buffer.byteLength(text));
      }
      return true;
    }
    if (this.#passOneOf(NOT_FINITE)) return true;
    const isRead =
      byte === OPEN
        ? this.#readObject(member?.members, member === undefined ? '' : `${member.value.name}.`, depth + 1)
        : byte === OPEN_LIST
          ? this.#passList(depth + 1)
          : this.#passOneOf(LITERALS) || this.#passNumber();
    // The values of an object are looked at one by one.
    if (isRead && byte !== OPEN && byte !== NULL && member?.value.isUnknown === true)
      this.#rejectUnknown(member.value.name);
    if (isRead && byte !== NULL) this.#place(member, start, this.#at);
    return isRead;
  }

  #set(member: Member | undefined, start: number, end: number): void {
    if (member?.value.isUnknown === true) this.#rejectUnknown(member.value.name);
    this.#place(member, start, end);
  }

  #place(member: Member | undefined, start: number, end: number): void {
    if (member === undefined || member.value.column === -1) return;
    const at = this.#first + member.value.column;
    this.#into.starts[at] = start;
    this.#into.ends[at] = end;
  }

  #passString() {
    if (this.#at >= this.#end || this.#bytes[this.#at] !== QUOTE) return undefined;
    const kind = this.#strings.scan(this.#bytes, this.#at);
    if (kind === undefined || this.#strings.end > this.#end) return undefined;
    this.#at = this.#strings.end;
    return kind;
  }

  /** Objects in a list are not looked at, but they must be JSON. */
  #passList(depth: number): boolean {
    if (depth > MAX_DEPTH) this.#isTooDeep = true;
    if (this.#isTooDeep || !this.#pass(OPEN_LIST)) return false;
    this.#passSpace();
    if (this.#pass(CLOSE_LIST)) return true;
    for (;;) {
      if (!this.#readValue(undefined, depth)) return false;
      this.#passSpace();
      if (this.#pass(CLOSE_LIST)) return true;
      if (!this.#pass(COMMA)) return false;
      this.#passSpace();
    }
  }

  #passOneOf(literals: readonly Buffer[]): boolean {
    for (const literal of literals) {
      const end = this.#at + literal.length;
      if (end > this.#end || this.#bytes[this.#at] !== literal[0]) continue;
      if (this.#bytes.compare(literal, 0, literal.length, this.#at, end) !== 0) continue;
      this.#at = end;
      return true;
    }
    return false;
  }

  #passNumber(): boolean {
    const end = numberEnd(this.#bytes, this.#at, this.#end);
    if (end !== -1) this.#at = end;
    return end !== -1;
  }
}

/** A name with a point may also be that of a member of another one: `a`, `a.b` and `a.b.c`. */
export const withOuterNames = (name: string): string[] => [...outerNames(name), name];

/** The names of the members that a value may be in. */
export const outerNames = (name: string): string[] =>
  [...name.matchAll(/\./g)].map(({ index }) => name.slice(0, index));

const newMembers = (): Members => ({ list: [], byKey: new Map() });

/** A string of JSON as text; undefined if an escape is wrong. */
const unescaped = (json: string): string | undefined => jsonValue(json) as string | undefined;
