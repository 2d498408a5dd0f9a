import type { Protocol } from './protocol.ts';
import { reportProtocol } from './report/report-protocol.ts';
import type { Wire } from './report/wire-names.ts';

/** What a deployment may change about its protocol. */
export interface ProtocolOptions {
  /** Other names of members, for the protocol `report`. */
  wire?: Wire | undefined;
}

/** All protocols, by name: a row for each. */
export const protocols = {
  report: ({ wire }) => reportProtocol(wire),
} as const satisfies Record<string, (options: ProtocolOptions) => Protocol>;
