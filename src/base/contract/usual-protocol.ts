/** The protocol of the prediction report API, in which local reports are described too. */
export const usualProtocol = 'report';

/** How a protocol is part of what identifies work: the usual one is left out. */
export const namedProtocol = (protocol = usualProtocol): { protocol?: string } =>
  protocol === usualProtocol ? {} : { protocol };
