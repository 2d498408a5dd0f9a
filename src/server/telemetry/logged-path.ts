/** The path segments of our routes. */
const known: ReadonlySet<string> = new Set([
  ...['user', 'persona', 'batch-persona', 'batch-predict', 'report', 'testing-results'],
  ...['assets', 'data', 'keys', 'platform', 'predict', 'predictions', 'runs', 'sign-in', 'sign-out'],
  ...['reports', 'curve', 'delete', 'testing-results.csv'],
  ...['healthz', 'readyz', 'metrics', 'openapi.json'],
]);

/**
 * A request's path for the log, without its query. Segments that are neither part of our routes nor the report that was
 * used become “…”: people paste keys into URLs by mistake, and a key cannot be distinguished from any other word.
 *
 * @param report the id of an existing report
 */
export function loggedPath(url: string, report: string | undefined): string {
  const [path = ''] = url.split('?', 1);
  const words = path
    .split('/', 5)
    .map(word => (word === '' || known.has(word) || word === report ? word : '…'));
  return words.join('/') || '/';
}
