import { RowcastError } from '../errors.ts';

/** Adds to errors about reports that only local ones were looked for. */
export async function explained<T>(found: Promise<T>): Promise<T> {
  try {
    return await found;
  } catch (error) {
    if (error instanceof RowcastError && error.code === 'no_such_report')
      error.hint = `${error.hint} Use --url for the reports of another service.`;
    throw error;
  }
}
