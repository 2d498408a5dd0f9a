/** The part of ydf-training that is used; the package has no types. Its JavaScript is at the end of dist/training.js. */
declare module 'ydf-training' {
  type Values = (number | string | null)[];
  export interface YdfModel {
    /** Class names in the engine's order: by descending frequency. */
    getLabelClasses(): string[];
    /** By column: null is missing; a category is its name, or its number in the engine's dictionary. */
    predict(columns: Record<string, Values>): number[];
    /** Text for humans: type, columns, and the shape of the trees. */
    describe(): string;
    unload(): void;
  }
  export interface YdfModel {
    /** Class names in the engine's order: by descending frequency. */
    getLabelClasses(): string[];
    /** By column: null is missing; a category is its name, or its number in the engine's dictionary. */
    predict(columns: Record<string, Values>): number[];
    /** Text for humans: type, columns, and the shape of the trees. */
    describe(): string;
    unload(): void;
  }
  type LearnerClass = new (
    label: string,
    task: 'CLASSIFICATION',
  ) => { train(columns: Record<string, Values>): YdfModel };
  export interface Ydf {
    loadModelFromZipBlob(bytes: Uint8Array): Promise<YdfModel>;
  }
  export default function load(output: {
    print(line: string): void;
    printErr(line: string): void;
  }): Promise<Ydf>;
}
