/** Event of a log line → when it is logged. Names are stable; the messages are not. */
export type LogEvents = Readonly<Record<string, string>>;
