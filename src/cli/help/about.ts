/** What the help and the man page say about the program as a whole. */
export const purpose =
  'Scores a CSV with a prediction service: every row comes back with its predicted probabilities.';

export const environmentVariables = [
  ['ROWCAST_URL', 'base URL of the service'],
  ['ROWCAST_API_KEY', 'its key; for serve, a key that opens all reports'],
  ['ROWCAST_HOME', 'folder of local reports and keys (default: .rowcast)'],
  ['ROWCAST_QUEUE', 'URL of the queue of score and work, with its password'],
] as const;
