autocmd BufNewFile,BufRead *.qdk setfiletype qdk
