/** The scheme of a name such as `s3://bucket/key`; undefined for a path. `./s3://key` is a path. */
export const schemeOf = (name: string): string | undefined => /^([a-z][a-z0-9+.-]*):\/\//i.exec(name)?.[1];
