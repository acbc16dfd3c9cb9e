" Vim syntax of .qdk, the kernel language of qd.
"
" To use it: mkdir -p ~/.vim && cp -r docs/examples/vim/* ~/.vim/

if exists("b:current_syntax")
  finish
endif

" Words in the order of the lexer's own list (src/lang/word.def).
syn keyword qdkType bool i32 u32 i64 u64 f32 f64 i8 u8 i16 u16 f16 bf16
syn keyword qdkConditional if else
syn keyword qdkRepeat for while unroll break continue
syn keyword qdkStatement return
syn keyword qdkDeclare const fn import instantiate kernel let var static
syn keyword qdkBoolean true false
syn keyword qdkNumber inf nan
syn keyword qdkFunction bitcast
syn keyword qdkWord allow as assert assume_in_bounds assume_uniform atomic block grid identity
syn keyword qdkWord in len n_active nvvm op order out print qdk requires scope shared subgroup zero
syn keyword qdkFunction abs abs_diff add_sat average_ceil average_floor brev byte_permute ceil clamp
syn keyword qdkFunction clz copysign cos ctz dot4_i8 dot4_i8u8 dot4_u8 exp extract_bits ffs floor floordiv
syn keyword qdkFunction floormod fma fract funnel_left funnel_right insert_bits isinf isnan
syn keyword qdkFunction log max min mix mul_wide mulhi pack4_i8 pack4_u8 popcount pow rotl rotr
syn keyword qdkFunction round select sign sin sqrt step sub_sat
syn keyword qdkFunction trunc unpack_i8 unpack_u8

" Behind a dot: what subgroup, block, a buffer or a type has.
syn match qdkMember "\.\h\w*\>"

" The lexer's marks (src/lang/token.def), the longest first.
syn match qdkOperator "\V<<=\|>>=\|..=\||=\|^=\|&=\|+=\|-=\|*=\|/=\|%=\|||\|&&\|==\|!=\|<=\|>=\|<<\|>>\|..\|->\||\|^\|&\|+\|-\|*\|/\|%\|<\|>\|=\|!\|~"
syn match qdkDelimiter "[(){}\[\],;:]"

syn match qdkNumber "\<\d\+\%(ul\|u\|l\)\=\>"
syn match qdkNumber "\<0[xX]\x\+\%(ul\|u\|l\)\=\>"
syn match qdkFloat "\<\d\+\.\d\+\%([eE][-+]\=\d\+\)\=d\=\>"
syn match qdkFloat "\<\d\+[eE][-+]\=\d\+d\=\>"
syn match qdkFloat "\<0[xX]\x\+\%(\.\x\+\)\=[pP][-+]\=\d\+d\=\>"
syn region qdkString start=+"+ end=+"+ oneline

syn keyword qdkTodo contained TODO FIXME XXX NOTE
syn match qdkComment "//.*$" contains=qdkTodo,@Spell
syn region qdkComment start="/\*" end="\*/" contains=qdkTodo,@Spell

hi def link qdkType Type
hi def link qdkConditional Conditional
hi def link qdkRepeat Repeat
hi def link qdkStatement Statement
hi def link qdkDeclare StorageClass
hi def link qdkBoolean Boolean
hi def link qdkWord Keyword
hi def link qdkFunction Function
hi def link qdkMember Identifier
hi def link qdkOperator Operator
hi def link qdkDelimiter Delimiter
hi def link qdkNumber Number
hi def link qdkFloat Float
hi def link qdkString String
hi def link qdkTodo Todo
hi def link qdkComment Comment

let b:current_syntax = "qdk"
