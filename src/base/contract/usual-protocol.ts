import type { ProtocolName } from './protocol-names.ts';

/** The protocol of the prediction report API, in which local reports are described too. */
export const usualProtocol = 'report' satisfies ProtocolName;

/** How a protocol is part of what identifies work: the usual one is left out. */
export const namedProtocol = (protocol: string = usualProtocol): { protocol?: string } =>
  protocol === usualProtocol ? {} : { protocol };
