/** The proxy cannot be reached, or cannot reach the service now. */
export class ProxyUnreachable extends Error {
  override readonly name = 'ProxyUnreachable';
  /** The proxy, without user and password. */
  readonly proxy: string;

  constructor(proxy: string, message: string, cause?: Error) {
    super(`the proxy ${proxy} ${message}`, { cause });
    this.proxy = proxy;
  }
}

/** The proxy does not connect this client to the service, and will not later. */
export class ProxyRefused extends Error {
  override readonly name = 'ProxyRefused';
  readonly status: number;

  constructor(proxy: string, status: number) {
    super(`the proxy ${proxy} responded with ${status}, not with a connection to the service`);
    this.status = status;
  }
}
