/** The module of `assembly/kernel.wasm`, in Base64. `build/bundle.ts` writes it. */
export declare const kernelWasm: string;
