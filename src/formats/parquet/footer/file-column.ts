import { type ParquetType, parquetType } from './column-type.ts';
import { CONVERTED, ELEMENT, LOGICAL, REPEATED, REQUIRED } from './numbers.ts';
import type { ThriftStruct } from './thrift.ts';

/** A column, which may have columns in it. */
export interface FileColumn {
  readonly name: string;
  /** Its elements in the schema, itself first. */
  readonly elements: readonly ThriftStruct[];
  /** The places of its chunks in each group: `[from, to)`. */
  readonly leaves: readonly [from: number, to: number];
  /** What its values are, if it has no columns in it. */
  readonly type: ParquetType;
  /** The struct of which it is a member; undefined for a column of the file itself. */
  readonly struct?: OuterStruct | undefined;
}

/** A struct around a column. */
export interface OuterStruct {
  readonly element: ThriftStruct;
  readonly outer: OuterStruct | undefined;
}

/**
 * The names around a value have as many characters together, as in JSON lines: otherwise a footer could make names of
 * any size.
 */
const MAX_PATH = 1_024;

/** The children of the root, of a tree whose elements are listed depth first. */
export function columnsOf([root, ...elements]: readonly ThriftStruct[]): FileColumn[] {
  if (root === undefined) throw new Error('it has no schema');
  const columns: FileColumn[] = [];
  const tree = { elements, at: 0, leaf: 0 };
  while (tree.at < elements.length) columns.push(nextColumn(tree));
  const children = root.has(ELEMENT.children) ? root.integer(ELEMENT.children) : 0;
  if (columns.length !== children) throw new Error('its schema does not have all columns');
  return columns;
}

/**
 * Columns with the members of structs, and of structs in these, as columns of their own in the place of the structs,
 * with the names of all on the way: `profile.zip`.
 */
export const valueColumns = (columns: readonly FileColumn[]): FileColumn[] => columns.flatMap(membersOf);

function membersOf(column: FileColumn): FileColumn[] {
  if (column.type.is !== 'struct') return [column];
  const { elements, leaves } = column;
  const found: FileColumn[] = [];
  const tree = { elements, at: 0, leaf: leaves[0] };
  const visit = (path: string, outer: OuterStruct | undefined): void => {
    const element = elements[tree.at] as ThriftStruct; // The schema is whole.
    const name = path + element.text(ELEMENT.name);
    const { is } = typeOf(element);
    if (is !== 'struct' || name.length > MAX_PATH) {
      const member = nextColumn(tree);
      const type = is === 'struct' ? TOO_LONG : member.type;
      found.push({ ...member, name, type, struct: outer });
      return;
    }
    tree.at++;
    const struct = { element, outer };
    for (let child = element.integer(ELEMENT.children); child > 0; child--) visit(`${name}.`, struct);
  };
  visit('', undefined);
  return found;
}

/** The name of the column of the file that a column is, or is in. */
export function outermostName({ name, struct }: FileColumn): string {
  if (struct === undefined) return name;
  let outermost = struct;
  while (outermost.outer !== undefined) outermost = outermost.outer;
  return outermost.element.text(ELEMENT.name);
}

const TOO_LONG: ParquetType = { is: 'unsupported', what: 'members with longer names than are read' };

/**
 * The number that stands for a value which is there: how many of the column and the structs around it may be missing.
 */
export function definitionLevel({ elements: [element], struct }: FileColumn): number {
  let level = mayBeMissing(element) ? 1 : 0;
  for (let outer = struct; outer !== undefined; outer = outer.outer) if (mayBeMissing(outer.element)) level++;
  return level;
}

/** Whether there may be rows without a value of an element. */
export const mayBeMissing = (element: ThriftStruct | undefined): boolean =>
  element?.has(ELEMENT.repetition) === true && element.integer(ELEMENT.repetition) !== REQUIRED;

/** Where a tree of elements is read. */
interface Tree {
  readonly elements: readonly ThriftStruct[];
  at: number;
  /** The leaves before. */
  leaf: number;
}

/** Passes an element with all that is in it. */
function nextColumn(tree: Tree): FileColumn {
  const { elements, at, leaf } = tree;
  for (let open = 1; open > 0; open--) {
    const element = elements[tree.at++];
    if (element === undefined) throw new Error('its schema is cut off');
    if (hasChildren(element)) open += element.integer(ELEMENT.children);
    else tree.leaf++;
  }
  const own = elements.slice(at, tree.at);
  const [first] = own as [ThriftStruct];
  return { name: first.text(ELEMENT.name), elements: own, leaves: [leaf, tree.leaf], type: typeOf(first) };
}

const hasChildren = (element: ThriftStruct): boolean =>
  element.has(ELEMENT.children) && element.integer(ELEMENT.children) > 0;

function typeOf(element: ThriftStruct): ParquetType {
  if (element.has(ELEMENT.repetition) && element.integer(ELEMENT.repetition) === REPEATED)
    return { is: 'unsupported', what: 'a list' };
  if (hasChildren(element)) return groupType(element);
  if (!element.has(ELEMENT.type)) throw new Error('a column has no type');
  return parquetType(element);
}

function groupType(element: ThriftStruct): ParquetType {
  const converted = element.has(ELEMENT.converted) ? element.integer(ELEMENT.converted) : undefined;
  const [logical] = element.has(ELEMENT.logical) ? element.struct(ELEMENT.logical).members.keys() : [];
  if (converted === undefined && logical === undefined) return { is: 'struct' };
  const isList = logical === LOGICAL.list || converted === CONVERTED.indexOf('LIST');
  if (isList) return { is: 'unsupported', what: 'a list' };
  const isMap = logical === LOGICAL.map || CONVERTED[converted ?? -1]?.startsWith('MAP') === true;
  return { is: 'unsupported', what: isMap ? 'a map' : 'a logical type that is not known' };
}
