// Lists what is used of a package that comes with rowcast, so that users need not install it (build/bundle.ts).

export { GoogleAuth } from 'google-auth-library';
