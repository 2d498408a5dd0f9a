const NUMBERS: ReadonlySet<string> = new Set(['numerical', 'float', 'integer']);

/** Whether a column is one of numbers, by its type as options and reports call it. */
export const isNumberType = (type = ''): boolean => NUMBERS.has(type);
