import { AZURE_ENVIRONMENTS, EGRESS_CLOUDS } from '../../../operator/contract/egress-clouds';
import { EGRESS_DATAPLANES } from '../../../operator/contract/egress-dataplanes';
import { distinct, list, props } from '../../props-kit/containers';
import { needed } from '../../props-kit/rule';
import { FLAG, formed, SOME_TEXT, word } from '../../props-kit/values';
import type { EgressCloudProps } from './egress-cloud-props';
import type { EgressDoorProps } from './egress-door-props';

const CLOUD = props<EgressCloudProps>({
  provider: needed(word(...EGRESS_CLOUDS), 'none'),
  region: formed(/^[a-z]+(?:-[a-z]+)+-\d+$/u, 'a region such as eu-west-1'),
  environment: word(...AZURE_ENVIRONMENTS),
  secret: SOME_TEXT,
  tokenAudience: SOME_TEXT,
});

/** Props of the Egress door. */
export const EGRESS = props<EgressDoorProps>({
  enabled: FLAG,
  dataplanes: distinct(list(word(...EGRESS_DATAPLANES))),
  cloud: CLOUD,
  usePermission: FLAG,
  whenUnavailable: word('deny', 'admit'),
});
