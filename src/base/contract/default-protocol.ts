import type { ProtocolName } from './protocol-names.ts';

/** The protocol of the prediction report API, in which local reports are described too. */
export const defaultProtocol = 'report' satisfies ProtocolName;

/** How a protocol is part of what identifies work: the default one is left out. */
export const namedProtocol = (protocol: string = defaultProtocol): { protocol?: string } =>
  protocol === defaultProtocol ? {} : { protocol };
