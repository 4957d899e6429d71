import { collectWishes, type CollectedWishes } from '../../operator/rules/wishes';
import { allAnnotations } from './annotations';
import type { IpamServiceProps } from './ipam-service-props';

/** Wishes of a Service, with their annotations. */
export interface ReadWishes {
  readonly annotations: Readonly<Record<string, string>>;
  readonly wishes: CollectedWishes;
}

const KNOWN = new WeakMap<IpamServiceProps, ReadWishes>();

/**
 * Reads the wishes of a Service once for all its checks: reading is most of their work, and an app may have thousands.
 *
 * @param props - of the Service; what was read of them stays, as does the object that was made of them
 * @returns annotations and wishes
 */
export function wishesOf(props: IpamServiceProps): ReadWishes {
  const known = KNOWN.get(props);
  if (known !== undefined) return known;
  const annotations = allAnnotations(props);
  const read = { annotations, wishes: collectWishes({ annotations }) };
  KNOWN.set(props, read);
  return read;
}
