import type { LabelExpression, LabelSelector } from '../../operator/contract/label-selector';
import { list, props } from '../props-kit/containers';
import { DNS_LABEL, LABEL_VALUE, LABELS, QUALIFIED_NAME } from '../props-kit/kubernetes-values';
import { needed, type RulesOf } from '../props-kit/rule';
import { FLAG, NUMBER, SOME_TEXT, text, word } from '../props-kit/values';
import type {
  AdvertisedProps,
  BgpAdvertisementProps,
  L2AdvertisementProps,
  MetalLbPoolProps,
  ZonePoolProps,
} from './metallb-props';

const EXPRESSION = props<LabelExpression>({
  key: needed(QUALIFIED_NAME, 'absent'),
  operator: needed(word('In', 'NotIn', 'Exists', 'DoesNotExist'), 'Exists'),
  values: list(LABEL_VALUE),
});

const SELECTOR = props<LabelSelector>({ matchLabels: LABELS, matchExpressions: list(EXPRESSION) });

const L2 = props<L2AdvertisementProps>({ interfaces: list(text()), nodeSelectors: list(SELECTOR) });
const BGP = props<BgpAdvertisementProps>({
  communities: list(text()),
  localPref: NUMBER,
  aggregationLength: NUMBER,
  aggregationLengthV6: NUMBER,
  peers: list(text()),
  nodeSelectors: list(SELECTOR),
});

/** How a pool is told to the network; what MetalLB says of the values is checked elsewhere. */
export const ADVERTISED: RulesOf<AdvertisedProps> = { advertise: text(), l2: list(L2), bgp: list(BGP) };

/** Props of a pool that the operator does not manage. */
export const METALLB_POOL = props<MetalLbPoolProps>({
  name: text(),
  namespace: text(),
  addresses: needed(list(text()), []),
  autoAssign: FLAG,
  avoidBuggyIps: FLAG,
  cluster: SOME_TEXT,
  ...ADVERTISED,
});

/** Props of a zone's pool. */
export const ZONE_POOL = props<ZonePoolProps>({
  zone: needed(DNS_LABEL, 'absent'),
  prefixes: list(text()),
  ...ADVERTISED,
});
