import { connect } from 'node:tls';
import { PROXY_ASKS } from './error-response.ts';
import { ProxyRefused, ProxyUnreachable } from './proxy-error.ts';
import { TlsExpected } from './socket-guard.ts';

/** A connection error that retrying cannot fix. */
export interface PermanentError {
  code: string;
  message: string;
  hint: string;
}

/** Error codes of certificate verification in OpenSSL (`X509_V_ERR_…`) and Node (`ERR_TLS_CERT_…`). */
const CERTIFICATE =
  /^(CERT_|ERR_TLS_CERT_|UNABLE_TO_(GET|DECRYPT|VERIFY|DECODE)_|DEPTH_ZERO_|SELF_SIGNED_|CRL_|INVALID_CA$|INVALID_PURPOSE$|PATH_LENGTH_EXCEEDED$|HOSTNAME_MISMATCH$)/;

/** The certificate may be valid, but for another host name. */
const OTHER_HOST = /^(ERR_TLS_CERT_ALTNAME_INVALID|HOSTNAME_MISMATCH)$/;

/** What a TLS client reports when the server responds in plain HTTP. */
const NOT_TLS = /^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST)$/;

/**
 * The alerts that a TLS client gets if its certificate is missing, expired or from an unknown authority. Newer
 * versions of OpenSSL have the name `SSL/TLS` where older ones have `SSLV3`.
 */
const REFUSED_CERTIFICATE =
  /^ERR_SSL_(SSL\/TLS|SSLV3|TLSV1|TLSV13)_ALERT_(HANDSHAKE_FAILURE|BAD_CERTIFICATE|CERTIFICATE_\w+|UNSUPPORTED_CERTIFICATE|UNKNOWN_CA)$/;

/** Whether a server said so before it closed the connection, which undici then reports instead. */
export const isRefusedCertificate = ({ code = '' }: NodeJS.ErrnoException): boolean =>
  REFUSED_CERTIFICATE.test(code);

/**
 * Recognizes failures below HTTP that retrying cannot fix.
 *
 * @param wasReached whether a connection was ever made; if so, an unknown host name is a temporary DNS failure
 */
export function permanentError(
  cause: NodeJS.ErrnoException & { hostname?: string },
  wasReached: boolean,
): PermanentError | undefined {
  const { code = '' } = cause;
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
  if (NOT_TLS.test(code))
    return {
      code: 'tls_refused',
      message: `the service does not speak https (${code})`,
      hint: 'Check the port in the URL.',
    };
  if (OTHER_HOST.test(code))
    return {
      code: 'bad_certificate',
      message: `the service's certificate is for another host name (${code})`,
      hint: 'Use the host name of the certificate in the URL.',
    };
  if (CERTIFICATE.test(code))
    return {
      code: 'bad_certificate',
      message: `the service's certificate is not trusted (${code})`,
      hint: 'Renew it, or name the issuing certificate authority with --ca-file.',
    };
  if (isRefusedCertificate(cause))
    return {
      code: 'bad_certificate',
      message: `the service refuses the client's certificate, or requires one (${code})`,
      hint: 'Check --client-cert and --client-key.',
    };
  if (code === 'ENOTFOUND' && !wasReached)
    return {
      code: 'no_such_host',
      message: `unknown host ${cause.hostname ?? 'name'} (${code})`,
      hint: 'Check the URL.',
    };
  return undefined;
}

/** As `permanentError`, for an error of a connection to the proxy. */
function proxyError({ proxy, cause }: ProxyUnreachable, wasReached: boolean): PermanentError | undefined {
  const { code = '' } = (cause ?? {}) as NodeJS.ErrnoException; // of Node or undici
  const hint = 'Check --proxy.';
  if (NOT_TLS.test(code))
    return { code: 'tls_refused', message: `the proxy ${proxy} does not speak https (${code})`, hint };
  if (CERTIFICATE.test(code))
    return {
      code: 'bad_certificate',
      message: `the certificate of the proxy ${proxy} is not trusted (${code})`,
      hint: 'Renew it, or add the issuing certificate authority with NODE_EXTRA_CA_CERTS.',
    };
  if (code === 'ENOTFOUND' && !wasReached)
    return { code: 'no_such_host', message: `unknown host of the proxy ${proxy} (${code})`, hint };
  return undefined;
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
