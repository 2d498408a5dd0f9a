import { RowcastError } from '../../base/errors.ts';

/** NumberList of a file: a list of JSON, or an array with a type of UBJ. */
export type NumberList = ArrayLike<number>;

/** A value of a model file with its path, so that an error says where the file is wrong. */
export class Member {
  readonly value: unknown;
  /** As in `learner.gradient_booster.model.trees[3]`; empty for the whole file. */
  readonly path: string;

  constructor(value: unknown, path = '') {
    this.value = value;
    this.path = path;
  }

  /** A member of an object. */
  member(name: string): Member {
    const found = this.find(name);
    if (found === undefined) throw this.wrong(`has no "${name}"`);
    return found;
  }

  /** Undefined if the object has no such member, or null instead. */
  find(name: string): Member | undefined {
    const { value } = this;
    if (typeof value !== 'object' || value === null || Array.isArray(value) || ArrayBuffer.isView(value))
      throw this.wrong('should be an object');
    if (!Object.hasOwn(value, name)) return undefined;
    const found: unknown = Reflect.get(value, name);
    return found === null ? undefined : new Member(found, this.path === '' ? name : `${this.path}.${name}`);
  }

  /** The elements of a list; of one with numbers use `numbers`. */
  list(): Member[] {
    const { value } = this;
    // An empty list may have a type, as any other list of UBJ.
    if (ArrayBuffer.isView(value) && value.byteLength === 0) return [];
    if (!Array.isArray(value)) throw this.wrong('should be a list');
    return value.map((element, i) => new Member(element, `${this.path}[${i}]`));
  }

  text(): string {
    if (typeof this.value !== 'string') throw this.wrong('should be text');
    return this.value;
  }

  number(): number {
    if (typeof this.value !== 'number') throw this.wrong('should be a number');
    return this.value;
  }

  /** A whole number, which XGBoost writes as text in parameters. */
  integer(least = 0, most: number = Number.MAX_SAFE_INTEGER): number {
    const { value } = this;
    const number = typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value;
    if (!Number.isSafeInteger(number)) throw this.wrong('should be a whole number');
    if (Number(number) < least || Number(number) > most)
      throw this.wrong(`is ${number}, but should be from ${least} to ${most}`);
    return Number(number);
  }

  /** NumberList, of any kind; null is NaN. */
  numbers(length?: number): NumberList {
    const { value } = this;
    const numbers = value instanceof BigInt64Array ? Array.from(value, Number) : value;
    if (!Array.isArray(numbers) && !(ArrayBuffer.isView(numbers) && 'length' in numbers))
      throw this.wrong('should be a list of numbers');
    const list: ArrayLike<unknown> = numbers as ArrayLike<unknown>;
    if (length !== undefined && list.length !== length)
      throw this.wrong(`has ${list.length} elements, but should have ${length}`);
    if (!Array.isArray(numbers)) return list as NumberList;
    return numbers.map((element: unknown) => {
      if (typeof element !== 'number' && element !== null) throw this.wrong('should be a list of numbers');
      return element ?? Number.NaN;
    });
  }

  /** Whole numbers. */
  integers(length?: number, least = 0, most: number = Number.MAX_SAFE_INTEGER): NumberList {
    const numbers = this.numbers(length);
    for (let i = 0; i < numbers.length; i++) {
      const number = numbers[i] ?? Number.NaN;
      if (!(Number.isInteger(number) && number >= least && number <= most))
        throw new Member(undefined, `${this.path}[${i}]`).wrong(
          `is ${number}, but should be a whole number from ${least} to ${most}`,
        );
    }
    return numbers;
  }

  /** @param what what is wrong, as the rest of a sentence that begins with the path */
  wrong(what: string): RowcastError {
    return new RowcastError('bad_model', `${this.path === '' ? 'the file' : this.path} ${what}`, {
      hint: 'Save the model again; transfer it again.',
    });
  }
}
