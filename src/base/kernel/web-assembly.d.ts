/** What is used of WebAssembly: neither the language's library nor @types/node declares it. */
declare namespace WebAssembly {
  class CompileError extends Error {}
  class Module {
    constructor(bytes: Uint8Array);
  }
  class Memory {
    constructor(pages: { initial: number });
    /** Another one after each `grow`. */
    readonly buffer: ArrayBuffer;
    grow(pages: number): number;
  }
  interface Global {
    value: number;
  }
  class Instance {
    constructor(module: Module, imports: Readonly<Record<string, Readonly<Record<string, Memory>>>>);
    readonly exports: unknown;
  }
}
