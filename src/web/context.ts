import type { FastifyBaseLogger } from 'fastify';
import type { Shared } from '../server/service.ts';
import type { DataStore } from './data/data-store.ts';
import type { Space } from './quota.ts';
import type { Sessions, SignInTokens } from './session/sessions.ts';

/** What every part of the platform may use. */
export interface PlatformContext extends Shared {
  sessions: Sessions;
  /** The tokens of sign-in URLs. */
  tokens: SignInTokens;
  /** Bytes of disk for uploaded data, runs and reports. */
  dataBytes: number;
  data: DataStore;
  /** The disk space of the reports that were trained on the platform. */
  reportSpace: Space;
  log: FastifyBaseLogger;
}
