import type { Outcome } from '../../../errors/outcome';
import type { Injected } from '../inject-package';
import type { PackageText } from '../package-nodes';

/** Report of a place about what it stored. */
export interface Stored {
  /** Sentence about where it is. */
  readonly note?: string;
  /** Text for standard output, where the package goes there. */
  readonly output?: string;
}

/** Where a package is read from and written to. */
export interface PackagePlace {
  read(): Promise<Outcome<readonly PackageText[]>>;
  /** Stores what changed, each text as a whole. */
  write(changed: readonly PackageText[], results: readonly Injected[]): Promise<Outcome<Stored>>;
  /** Id of a package that has none: the same in every run. Absent where the place does not tell one package from another. */
  readonly freshId?: () => string;
  /** Stores what must not be lost before the end; absent where there is nothing to store in. */
  readonly storeFirst?: (changed: readonly PackageText[]) => Promise<Outcome<void>>;
  /** Lets go of what was opened. */
  close(): Promise<void>;
}
