import type { Extension } from '../server/service.ts';
import { platformRoutes } from './app.ts';
import { notFoundPage } from './errors/not-found.ts';
import { SignInTokens } from './session/sign-in-tokens.ts';

export interface PlatformOptions {
  /** Bytes of disk for uploaded data, runs and reports. */
  dataBytes: number;
}

/** The web platform, to be served next to the API. */
export interface Platform extends Extension {
  /** A URL that signs in whoever opens it first, as the owner of the service. It must be shown to nobody else. */
  signInUrl(serviceUrl: string): string;
}

export function openPlatform(options: PlatformOptions): Platform {
  const tokens = new SignInTokens();
  return {
    routes: platformRoutes({ ...options, tokens }),
    notFound: notFoundPage,
    signInUrl: serviceUrl => `${serviceUrl}/sign-in?token=${tokens.create()}`,
  };
}
