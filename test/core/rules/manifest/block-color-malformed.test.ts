import { blockColorMalformed } from '../../../../src/core/rules/manifest/block-color-malformed.ts';
import { ruleTable } from '../../../support/rule-table.ts';

const COLOR_POINTER = '/blockStyle/color';

ruleTable(blockColorMalformed, {
  clean: [
    ['lower case', { color: '#1a73e8' }],
    ['upper case', { color: '#1A73E8' }],
    ['mixed case', { color: '#a1B2c3' }],
    ['black', { color: '#000000' }],
  ],
  faulty: [
    ['empty', { color: '' }, { at: COLOR_POINTER, advice: 'six hexadecimal digits' }],
    ['short form', { color: '#FFF' }, { at: COLOR_POINTER, advice: '"#FFFFFF"' }],
    ['short form with alpha', { color: '#fa08' }, { at: COLOR_POINTER, advice: '"#ffaa00"' }],
    ['with alpha', { color: '#11223344' }, { at: COLOR_POINTER, advice: '"#112233"' }],
    ['no #', { color: '1a73e8' }, { at: COLOR_POINTER, advice: '"#1a73e8"' }],
    ['0x', { color: '0x1a73e8' }, { at: COLOR_POINTER, advice: '"#1a73e8"' }],
    ['a space behind it', { color: '#1a73e8 ' }, { at: COLOR_POINTER, advice: '"#1a73e8"' }],
    ['a line break behind it', { color: '#1a73e8\n' }, { at: COLOR_POINTER, advice: '"#1a73e8"' }],
    ['rgb()', { color: 'rgb(26, 115, 232)' }, { at: COLOR_POINTER, advice: '"#1a73e8"' }],
    ['rgb() beyond 255', { color: 'rgb(256, 0, 0)' }, { at: COLOR_POINTER, advice: 'for example' }],
    ['rgba()', { color: 'rgba(26,115,232,0.5)' }, { at: COLOR_POINTER, advice: '"#1a73e8"' }],
    ['a name', { color: 'blue' }, { at: COLOR_POINTER, message: '“blue”' }],
    ['five digits', { color: '#12345' }, { at: COLOR_POINTER }],
    ['seven digits', { color: '#1234567' }, { at: COLOR_POINTER, advice: 'for example' }],
    ['a letter beyond f', { color: '#12345g' }, { at: COLOR_POINTER }],
    ['full-width digits', { color: '#１２３４５６' }, { at: COLOR_POINTER }],
    ['a style sheet smuggled in', { color: '#112233;background:url(x)' }, { at: COLOR_POINTER }],
  ],
});
