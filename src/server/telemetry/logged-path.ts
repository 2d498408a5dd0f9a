/** The words of our routes. */
const known: ReadonlySet<string> = new Set([
  ...['user', 'persona', 'batch-persona', 'batch-predict', 'report', 'testing-results'],
  ...['healthz', 'readyz', 'metrics', 'openapi.json'],
]);

/**
 * A request's path for the log, its query taken off. What is neither a word of our routes nor the report that was used
 * becomes “…”: people put keys where they do not belong, and a wrong key cannot be told from any other word.
 *
 * @param report the id of a report that there is
 */
export function loggedPath(url: string, report: string | undefined): string {
  const [path = ''] = url.split('?', 1);
  const words = path
    .split('/', 5)
    .map(word => (word === '' || known.has(word) || word === report ? word : '…'));
  return words.join('/') || '/';
}
