import type { commandEvents } from './command-events.ts';
import type { serviceEvents } from './service-events.ts';

/** The name of a documented event. */
export type LoggedEvent = keyof typeof commandEvents | keyof typeof serviceEvents;

/** The compiler checks every object that is given to a logger, also to those of Fastify's requests, which are pino's. */
declare module 'pino' {
  namespace pino {
    interface LogFnFields {
      event: LoggedEvent;
    }
  }
}
