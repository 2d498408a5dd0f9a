/** Event of a log line → what its name does not say: its occasion and members. Names are stable; messages are not. */
export type LogEvents = Readonly<Record<string, string>>;
