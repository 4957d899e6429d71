import type { Holder } from '../../../ports/claims';
import { isMissing } from '../controller/orphan';
import { readVipService } from '../controller/vip-service';
import type { VipsPagesParts } from './vips-pages-parts';

/**
 * Tells what is unusual about a holder: a Service that is gone, or that is being deleted.
 *
 * @param parts - the stored Services
 * @param holder - as it is on record
 * @returns sentences; mostly none
 */
export function sentencesOfHolder(parts: VipsPagesParts, holder: Holder): readonly string[] {
  const { namespace, name } = holder.owner;
  if (isMissing({ parts }, holder)) {
    const seconds = String(Math.ceil(parts.settings.orphanGraceMs / 1000));
    return [
      `no Service ${namespace}/${name} is stored; an address is given back after ${seconds} s without its Service`,
    ];
  }
  const stored = readVipService(parts.services.get(namespace, name));
  return stored?.view.dying === true
    ? [`Service ${namespace}/${name} is being deleted, and waits for its finalizers`]
    : [];
}
