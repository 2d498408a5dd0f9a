/** What the help and the man page say about the program as a whole. */
export const purpose =
  'Scores a CSV with a prediction service: every row comes back with its predicted probabilities.';

export const environmentVariables = [
  ['ROWCAST_URL', 'base URL of the service'],
  ['ROWCAST_API_KEY', 'its key; for serve, a key that opens all reports'],
  ['ROWCAST_HOME', 'folder of local reports and keys (default: .rowcast)'],
] as const;

export const exitCodes = [
  ['0', 'success'],
  ['1', 'finished; some rows were rejected'],
  ['2', 'nothing was done: wrong usage, definition, input, report or key'],
  ['3', 'stopped before the end; the same command resumes'],
  ['4', 'row counts do not add up, or verify found a difference'],
  ['129, 130, 143', 'ended by SIGHUP, SIGINT or SIGTERM; the same command resumes'],
] as const;
