import { RowcastError } from '../../base/errors.ts';

/** Adds to the error about an unknown report that another service may have it: only local reports were looked for. */
export async function suggestOtherService<T>(found: Promise<T>): Promise<T> {
  try {
    return await found;
  } catch (error) {
    if (error instanceof RowcastError && error.code === 'no_such_report')
      error.hint = `Use --url for the reports of another service. ${error.hint}`;
    throw error;
  }
}
