/** The protocol of the prediction report API, in which local reports are described too. */
export const usualProtocol = 'report';
