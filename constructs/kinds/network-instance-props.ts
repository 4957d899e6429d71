import type { NephioObjectProps } from './nephio-object-props';

/** Props of a {@link NetworkInstance}. */
export interface NetworkInstanceProps extends NephioObjectProps {
  /**
   * Name of a network with whose zones, other instances and addresses in use the prefixes are compared.
   *
   * @default - none: the prefixes of the instance are compared with each other alone
   */
  readonly network?: string;
  /**
   * Whether a prefix that is no aggregate needs a parent: `declared` where an aggregate of its family is declared, `required` always,
   * `free` never.
   *
   * @default 'declared'
   */
  readonly parents?: 'declared' | 'required' | 'free';
}
