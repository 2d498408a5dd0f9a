/** The variable with the key for a URL from a flag or the environment. */
export const DEFAULT_KEY = 'ROWCAST_API_KEY';

/** Variables that hold secrets of a command, which are not for the service of a definition. */
const OF_COMMANDS: readonly string[] = [DEFAULT_KEY, 'ROWCAST_QUEUE'];

/** Whether a variable may be named as holding a secret of a service: no other program's secrets may be sent there. */
export const isOwnVariable = (name: string): boolean => /^ROWCAST_[A-Z0-9_]+$/.test(name);

/** Whether a definition, which may be from someone else, may name a variable as holding a secret of its service. */
export const isVariableOfDefinition = (name: string): boolean =>
  isOwnVariable(name) && !OF_COMMANDS.includes(name);
