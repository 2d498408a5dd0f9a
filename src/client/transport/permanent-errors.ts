import { connect } from 'node:tls';
import { faultOf, type Peer, type PermanentError, permanentErrorOf } from '../../base/connection-error.ts';
import { PROXY_ASKS, ProxyRefused, ProxyUnreachable } from './http-proxy.ts';
import { TlsExpected } from './socket-guard.ts';

const SERVICE: Peer = {
  name: 'the service',
  address: 'the URL',
  trust: 'Renew it, or name the issuing certificate authority with --ca-file.',
  ownCertificate: 'Check --client-cert and --client-key.',
};

/**
 * Recognizes failures below HTTP that retrying cannot fix.
 *
 * @param wasReached whether a connection was ever made; if so, an unknown host name is a temporary DNS failure
 */
export function permanentError(
  cause: NodeJS.ErrnoException & { hostname?: string },
  wasReached: boolean,
): PermanentError | undefined {
  if (cause instanceof ProxyRefused)
    return {
      code: 'proxy_refused',
      message: cause.message,
      hint: cause.status === 407 ? PROXY_ASKS : 'Check whether the proxy allows this host and port.',
    };
  if (cause instanceof ProxyUnreachable) return proxyError(cause, wasReached);
  if (cause instanceof TlsExpected)
    return {
      code: 'tls_expected',
      message: 'the service expects https',
      hint: 'Use a URL that begins with https.',
    };
  return permanentErrorOf(cause, wasReached, SERVICE);
}

/** As `permanentError`, for an error of a connection to the proxy. */
function proxyError({ proxy, cause }: ProxyUnreachable, wasReached: boolean): PermanentError | undefined {
  const error = (cause ?? {}) as NodeJS.ErrnoException; // of Node or undici
  const { code = '' } = error;
  const hint = 'Check --proxy.';
  switch (faultOf(error)) {
    case 'no TLS':
      return { code: 'tls_refused', message: `the proxy ${proxy} does not speak https (${code})`, hint };
    case 'other host':
    case 'untrusted':
      return {
        code: 'bad_certificate',
        message: `the certificate of the proxy ${proxy} is not trusted (${code})`,
        hint: 'Renew it, or add the issuing certificate authority with NODE_EXTRA_CA_CERTS.',
      };
    case 'no host':
      return wasReached
        ? undefined
        : { code: 'no_such_host', message: `unknown host of the proxy ${proxy} (${code})`, hint };
    default:
      return undefined;
  }
}

/** Timeout of the TLS handshake in `speaksTls`. */
const HANDSHAKE_MS = 2_000;

/** Whether a server speaks TLS. Only a handshake is sent, so its certificate does not matter. */
export async function speaksTls({ hostname, port }: URL): Promise<boolean> {
  return new Promise(resolve => {
    const host = hostname.replace(/^\[|\]$/g, '');
    const socket = connect({ host, port: Number(port || 80), rejectUnauthorized: false });
    const end = (isTls: boolean) => (): void => {
      socket.destroy();
      resolve(isTls);
    };
    socket.setTimeout(HANDSHAKE_MS, end(false));
    socket.on('secureConnect', end(true)).on('error', end(false)).on('close', end(false));
  });
}
