/**
 * Whether a host is the loopback interface of this machine: as a name, an address, or the host of a URL.
 * RFC 6761 section 6.3, RFC 1122 section 3.2.1.3, RFC 4291 section 2.5.3.
 */
export const isLoopback = (host: string): boolean =>
  /^(?:(?:.*\.)?localhost|127\.\d+\.\d+\.\d+|::1|\[::1\])$/i.test(host);

/** Whether a host stands for all addresses of this machine, as an address to listen on. */
export const isUnspecified = (host: string): boolean => /^(?:0\.0\.0\.0|::|\[::\])$/.test(host);
