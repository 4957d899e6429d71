import type { JsonMap } from '../../../contract/loose-json';
import type { Outcome } from '../../../errors/outcome';

/** The package that something is taken for. */
export interface PackageOwner {
  /** The same as long as the package lives; no other package has it. */
  readonly id: string;
  /** For people. */
  readonly name: string;
}

/** Place of an IPAllocation, in the package and in a cluster. */
export interface AllocationName {
  readonly namespace: string;
  readonly name: string;
}

/** Request of an IPAllocation of a package. */
export interface InjectionRequest extends AllocationName {
  readonly owner: PackageOwner;
  readonly labels: Readonly<Record<string, string>>;
  /** Spec of the IPAllocation, checked against its kind; `kind` is set. */
  readonly spec: JsonMap;
}

/** Answer to a request. */
export interface Granted {
  /** In CIDR notation. */
  readonly prefix: string;
  readonly gateway?: string;
  /** Absent where the back end does not tell. */
  readonly parentPrefix?: string;
}

/**
 * Gives prefixes for allocations of packages. A new back end is one file that implements this, and one line in `open-back-end.ts`.
 * Calls may run side by side. A call may throw an IpamError, which counts as a refusal.
 */
export interface InjectionBackEnd {
  /**
   * Takes what is asked for. The same request again has the same result; what another package or another client has under this name is
   * refused and left alone.
   */
  take(request: InjectionRequest): Promise<Outcome<Granted>>;
  /**
   * Gives back what was taken under a name for this package, and for no other one.
   *
   * @returns false where the package has nothing under the name any more
   */
  release(of: AllocationName & { readonly owner: PackageOwner }): Promise<Outcome<boolean>>;
  close(): Promise<void>;
}
