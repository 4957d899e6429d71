import { isIn } from '../../addressing/address';
import { LOAD_BALANCER } from '../../contract/service';
import { vipRefusal } from './refusals';
import type { ServiceDecision, ServiceFacts } from './types';

type Left = ServiceDecision & { readonly act: 'leave' };

const UNTOUCHED: Left = {
  act: 'leave',
  release: [],
  isIngressCleared: false,
  isConditionCleared: false,
  areFinalizersCleared: false,
};

/**
 * Decides about a Service that gets nothing from this door: of another door or type, dying, or served by another controller.
 *
 * @param facts - the Service
 * @returns what ends and what is told; undefined for a Service that is to be served
 */
export function decideLeave(facts: ServiceFacts): Left | undefined {
  const { service, held, hasOldFinalizer: areFinalizersCleared } = facts;
  // what it holds is released once it is really gone
  if (service.dying) return { ...UNTOUCHED, areFinalizersCleared };
  if (!facts.isOurs || service.type !== LOAD_BALANCER) {
    const isIngressCleared = held.length > 0 && showsHeldOnly(facts);
    return {
      ...UNTOUCHED,
      release: held.filter(({ isReserved = false }) => !isReserved),
      isIngressCleared,
      isConditionCleared: facts.hasCondition,
      areFinalizersCleared,
    };
  }
  return decideForeign(facts);
}

function showsHeldOnly({ held, shown, isHostNameShown }: ServiceFacts): boolean {
  const addresses = held.map(({ address }) => address);
  return shown.length > 0 && !isHostNameShown && shown.every((address) => isIn(address, addresses));
}

// Another controller's status is never written over, unless it only adds to what this door shows.
function decideForeign(facts: ServiceFacts): Left | undefined {
  const { held, shown, isHostNameShown } = facts;
  if ((shown.length === 0 && !isHostNameShown) || showsHeldOnly(facts)) return undefined;
  if (held.length > 0 && held.every(({ address }) => isIn(address, shown))) return undefined;
  if (isOfThisDoor(facts) && !isHostNameShown) return undefined;
  const what = isHostNameShown ? 'a host name' : shown.join(', ');
  const message = `status.loadBalancer.ingress shows ${what}, which this operator did not give; it is left alone until the status is empty`;
  return {
    ...UNTOUCHED,
    // the older operator put it on Services of others too, which could then not be deleted
    areFinalizersCleared: facts.hasOldFinalizer,
    warning: vipRefusal('Conflict', message),
  };
}

const isOfThisDoor = ({ hasOldFinalizer, hasCondition, held }: ServiceFacts): boolean =>
  hasOldFinalizer || hasCondition || held.length > 0;

/**
 * Tells of an address that a Service shows and that cannot be put on record for it; nothing of the Service is changed.
 *
 * @param message - a full sentence
 * @returns the decision
 */
export function leaveWithConflict(message: string): Left {
  return { ...UNTOUCHED, warning: vipRefusal('Conflict', message) };
}
