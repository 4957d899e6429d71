/** Description of an option, whatever its type is. */
interface Described {
  /** Long form on the command line. */
  readonly flag: `--${string}`;
  /** The same option in the environment; a flag wins over it. */
  readonly env: `IPAM_${string}`;
  /** One sentence without a full stop, for `--help` and the reference of options. */
  readonly help: string;
}

/** `--flag`, `--flag=true` or `--flag=false`. */
export interface SwitchOption extends Described {
  readonly type: 'switch';
  readonly default: boolean;
}

/** A whole number within an interval. */
export interface NumberOption extends Described {
  readonly type: 'number';
  /** Unit of the number. */
  readonly unit: 'seconds' | 'days' | 'reservations' | 'replicas' | 'rows';
  readonly min: number;
  readonly max: number;
  readonly default: number;
}

/** One word of a closed set. */
interface ChoiceOption extends Described {
  readonly type: 'choice';
  readonly choices: readonly string[];
  readonly default: string;
}

/** Words separated by commas; a closed set where `choices` is given. */
export interface ListOption extends Described {
  readonly type: 'list';
  readonly choices?: readonly string[];
  readonly default: readonly string[];
}

/** Free text on one line. An empty default means "not set". */
interface TextOption extends Described {
  readonly type: 'text' | 'file' | 'folder';
  readonly default: string;
}

/** `host:port` or `:port`; an empty text or `0` where nothing is to listen. */
export interface ListenOption extends Described {
  readonly type: 'listen';
  /** True where `0` switches the listener off. */
  readonly optional: boolean;
  readonly default: string;
}

/** Declaration of one option. */
export type Option = SwitchOption | NumberOption | ChoiceOption | ListOption | TextOption | ListenOption;

/** Where a server listens; an empty host means every address of the machine, both families. */
export interface ListenAddress {
  readonly host: string;
  /** 0 asks the system for any free port. */
  readonly port: number;
}
